-- Every call with its prompt hash, raw answer, parsed answer, score and gold label. The parts of a call meet on request
-- key and on the whole result identity, so no answer is read under another prompt or scoring version. Gold columns are null
-- for calls of another dataset version than the one in force: labels may have changed since. Status and comparable are
-- those of the run; a call outside the headline's runs is not comparable.
SELECT
    r.dataset_version, r.prompt_version, s.scoring_version, r.model_id, r.run_id, r.task, r.item_id, r.arm,
    r.request_key, r.outcome, r.outcome_detail, r.attempts, r.returned_model, r.finish_reason,
    r.content, r.raw_body, r.prompt_sha256, r.parameters, r.prompt_tokens, r.completion_tokens, r.cost_usd,
    r.started_at, r.finished_at,
    p.answer_icfr, p.answer_effective, p.answer_gap_type, p.answer_severity, p.answer_component, p.answer_citation,
    p.answer_evidence,
    s.answered, s.correct, s.flagged_deficient, s.false_positive, s.true_positive,
    i.gold_icfr, i.clean_rating, i.gold_effective, i.gold_component, i.gold_citation, i.label_source, i.review_status,
    h.status, coalesce(h.comparable, false) AS comparable
FROM model_responses AS r
LEFT JOIN parsed_answers AS p
    ON p.request_key = r.request_key AND p.dataset_version = r.dataset_version
    AND p.prompt_version = r.prompt_version AND p.model_id = r.model_id AND p.run_id = r.run_id
LEFT JOIN scores AS s
    ON s.request_key = r.request_key AND s.dataset_version = r.dataset_version
    AND s.prompt_version = r.prompt_version AND s.model_id = r.model_id AND s.run_id = r.run_id
LEFT JOIN labeled_items AS i
    ON i.item_id = r.item_id AND r.dataset_version = (SELECT dataset_version FROM dataset)
LEFT JOIN headline_false_positive_rate AS h
    ON h.dataset_version = r.dataset_version AND h.prompt_version = r.prompt_version
    AND h.scoring_version = s.scoring_version AND h.model_id = r.model_id AND h.run_id = r.run_id
