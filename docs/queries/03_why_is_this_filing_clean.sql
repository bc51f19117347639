-- Each step of the clean-pool decision of the first attested filing.
SELECT accession, company_name, step, rule, outcome, saw FROM clean_pool_audit
WHERE accession = (SELECT min(accession) FROM clean_pool WHERE decision = 'clean_attested')
ORDER BY step;
