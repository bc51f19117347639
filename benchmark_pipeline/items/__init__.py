"""Items of the benchmark: identity, builders of tasks A to D, leak filters, selection and review state."""
