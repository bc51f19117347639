-- Every main measure by how its labels were established.
SELECT model_id, task, metric, split AS label_source, estimate, ci_low, ci_high, k, n
FROM metrics WHERE split_by = 'label_source' ORDER BY model_id, task, metric, split;
