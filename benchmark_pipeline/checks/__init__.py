"""Asset checks, one module a stage. A check's name is the sentence that it proves."""
