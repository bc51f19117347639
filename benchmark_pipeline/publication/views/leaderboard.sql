-- Comparable models with their rank group. Models of one group cannot be told apart; positions are counted within one
-- dataset, prompt and scoring version and never across them.
SELECT
    dataset_version, prompt_version, scoring_version, rank_group,
    rank() OVER (PARTITION BY dataset_version, prompt_version, scoring_version ORDER BY fpr) AS position,
    model_id, run_id, fpr, ci_low, ci_high, k, n, companies, failure_rate, management_only_fpr, recall, status, comparable
FROM headline_false_positive_rate
WHERE kind = 'model' AND comparable AND fpr IS NOT NULL
ORDER BY dataset_version, prompt_version, scoring_version, fpr, model_id, run_id
