-- Two runs on the attested clean items that both answered: how often only one of them flags. Runs meet only where
-- dataset, prompt and scoring version are equal, so scores of two versions cannot be compared here, and only on the items of
-- the dataset in force. A pair is comparable where both runs are.
WITH flags AS (
    SELECT s.*, h.status, coalesce(h.comparable, false) AS comparable
    FROM scores AS s
    JOIN dataset AS d ON d.dataset_version = s.dataset_version
    JOIN labeled_items AS i USING (item_id)
    LEFT JOIN headline_false_positive_rate AS h
        ON h.dataset_version = s.dataset_version AND h.prompt_version = s.prompt_version
        AND h.scoring_version = s.scoring_version AND h.model_id = s.model_id AND h.run_id = s.run_id
    WHERE i.task = 'C' AND i.arm = 'verbatim' AND i.clean_rating = 'attested' AND s.answered
)
SELECT
    a.dataset_version, a.prompt_version, a.scoring_version,
    a.model_id AS first_model, a.run_id AS first_run, b.model_id AS second_model, b.run_id AS second_run,
    count(*) AS items,
    count(*) FILTER (WHERE a.flagged_deficient AND b.flagged_deficient) AS both_flag,
    count(*) FILTER (WHERE a.flagged_deficient AND NOT b.flagged_deficient) AS only_first_flags,
    count(*) FILTER (WHERE b.flagged_deficient AND NOT a.flagged_deficient) AS only_second_flags,
    a.status, a.comparable AND b.comparable AS comparable
FROM flags AS a
JOIN flags AS b
    ON a.dataset_version = b.dataset_version AND a.prompt_version = b.prompt_version
    AND a.scoring_version = b.scoring_version AND a.item_id = b.item_id
    AND (a.model_id, a.run_id) < (b.model_id, b.run_id)
GROUP BY ALL
