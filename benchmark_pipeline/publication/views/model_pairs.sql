-- Two runs on the attested clean items that both answered: how often only one of them flags. Runs meet only where
-- dataset, prompt and scoring version are equal, so scores of two prompt versions cannot be compared here.
WITH flags AS (
    SELECT s.*
    FROM scores AS s
    JOIN labeled_items AS i USING (item_id)
    WHERE i.task = 'C' AND i.arm = 'verbatim' AND i.clean_rating = 'attested' AND s.answered
)
SELECT
    a.dataset_version, a.prompt_version, a.scoring_version,
    a.model_id AS first_model, a.run_id AS first_run, b.model_id AS second_model, b.run_id AS second_run,
    count(*) AS items,
    count(*) FILTER (WHERE a.flagged_deficient AND b.flagged_deficient) AS both_flag,
    count(*) FILTER (WHERE a.flagged_deficient AND NOT b.flagged_deficient) AS only_first_flags,
    count(*) FILTER (WHERE b.flagged_deficient AND NOT a.flagged_deficient) AS only_second_flags
FROM flags AS a
JOIN flags AS b
    ON a.dataset_version = b.dataset_version AND a.prompt_version = b.prompt_version
    AND a.scoring_version = b.scoring_version AND a.item_id = b.item_id
    AND (a.model_id, a.run_id) < (b.model_id, b.run_id)
GROUP BY ALL
