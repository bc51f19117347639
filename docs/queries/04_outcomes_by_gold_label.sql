-- Do calls fail more often on deficient reports than on clean ones? A filter that does removes just the hard items.
SELECT model_id, gold_icfr, outcome, count(*) AS calls
FROM response_detail WHERE task = 'C' AND arm = 'verbatim'
GROUP BY ALL ORDER BY model_id, gold_icfr, calls DESC;
