-- Which companies do models most often call deficient though their reports are clean and attested?
SELECT company_name, form, period_end, count(DISTINCT model_id) AS models, list(DISTINCT model_id ORDER BY model_id) AS which
FROM false_positives WHERE NOT starts_with(model_id, 'baseline/')
GROUP BY ALL ORDER BY models DESC, company_name;
