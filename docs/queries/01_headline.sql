-- The headline of every model, with what must be read beside it.
SELECT model_id, fpr, ci_low, ci_high, k, n, companies, failure_rate, management_only_fpr, recall, status, why_not
FROM headline WHERE kind = 'model';
