-- The items behind the headline's numerator: attested clean disclosures that a model called deficient, with its answer,
-- the filing and the sentence that makes it clean.
SELECT
    r.dataset_version, r.prompt_version, r.scoring_version, r.model_id, r.run_id, r.item_id, r.content,
    l.accession, l.cik, l.company_name, l.form, l.period_end, l.filing_index_url, l.document_url, l.document_sha256,
    l.management_sentence, l.auditor_sentence, l.seasoning_tier, l.review_status, r.request_key,
    r.status, r.comparable
FROM response_detail AS r
JOIN item_lineage AS l ON l.item_id = r.item_id AND l.dataset_version = r.dataset_version
WHERE r.task = 'C' AND r.arm = 'verbatim' AND r.clean_rating = 'attested' AND r.flagged_deficient
