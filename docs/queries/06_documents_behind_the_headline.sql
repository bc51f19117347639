-- The document, address and characters behind each attested clean item.
SELECT item_id, accession, company_name, document_url, document_sha256, span_start, span_end
FROM item_lineage WHERE task = 'C' AND arm = 'verbatim' AND clean_rating = 'attested' ORDER BY item_id;
