-- Gold against answer, counted: one row a result identity, task, field, gold label and answer, over the items as filed.
-- Results of another dataset version than the one in force are left out: their labels may have been others.
-- An answer of null stands for a call without a usable answer; 'none given' for a usable one that leaves the field empty.
WITH asked AS (
    SELECT s.dataset_version, s.prompt_version, s.scoring_version, s.model_id, s.run_id, s.task, s.answered,
        h.status, coalesce(h.comparable, false) AS comparable,
        unnest(CASE s.task
            WHEN 'C' THEN [{field: 'icfr', gold: i.gold_icfr, answer: p.answer_icfr}]
            WHEN 'A' THEN [
                {field: 'component', gold: i.gold_component, answer: p.answer_component},
                {field: 'severity', gold: CASE WHEN i.gradient_bearing THEN i.gold_severity END, answer: p.answer_severity}]
            WHEN 'B' THEN [
                {field: 'design', gold: CASE WHEN i.gold_effective THEN 'effective' WHEN NOT i.gold_effective THEN 'gap' END,
                    answer: CASE WHEN p.answer_effective THEN 'effective' WHEN NOT p.answer_effective THEN 'gap' END},
                {field: 'gap_type', gold: i.gold_gap_type, answer: p.answer_gap_type},
                {field: 'severity', gold: i.gold_severity, answer: p.answer_severity}]
            ELSE [{field: 'component', gold: i.gold_component, answer: p.answer_component}]
        END) AS pair
    FROM scores AS s
    JOIN dataset AS d ON d.dataset_version = s.dataset_version
    JOIN labeled_items AS i ON i.item_id = s.item_id
    LEFT JOIN headline_false_positive_rate AS h
        ON h.dataset_version = s.dataset_version AND h.prompt_version = s.prompt_version
        AND h.scoring_version = s.scoring_version AND h.model_id = s.model_id AND h.run_id = s.run_id
    LEFT JOIN parsed_answers AS p
        ON p.request_key = s.request_key AND p.dataset_version = s.dataset_version
        AND p.prompt_version = s.prompt_version AND p.model_id = s.model_id AND p.run_id = s.run_id
    WHERE i.arm = 'verbatim' AND s.outcome NOT IN ('transport_fail', 'not_run')
)
SELECT dataset_version, prompt_version, scoring_version, model_id, run_id, task, pair.field AS field, pair.gold AS gold,
    CASE WHEN answered THEN coalesce(pair.answer, 'none given') END AS answer, count(*) AS items,
    status, comparable
FROM asked
WHERE pair.gold IS NOT NULL
GROUP BY ALL
ORDER BY ALL
