-- The headline: false-positive rate on attested clean items, one row a result identity, with all that is printed beside it.
-- fpr is null where no headline may be printed; why_not then says why.
SELECT
    dataset_version, prompt_version, scoring_version, model_id, run_id, kind, status,
    fpr, ci_low, ci_high, k, n, planned, companies, design_effect,
    failures, failure_rate, fpr_if_failures_pass, fpr_if_failures_flag,
    management_only_fpr, management_only_ci_low, management_only_ci_high, management_only_k, management_only_n,
    recall, recall_k, recall_n, complete, comparable, rank_group, why_not
FROM headline_false_positive_rate
ORDER BY dataset_version, prompt_version, scoring_version, kind DESC, fpr NULLS LAST, model_id, run_id
