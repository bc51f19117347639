-- On how many attested clean items does only one of two models raise a false alarm?
SELECT first_model, second_model, items, both_flag, only_first_flags, only_second_flags FROM model_pairs ORDER BY 1, 2;
