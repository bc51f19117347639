-- How many items of the set, and how many still wait for a reader, by task and arm: one row for each population,
-- label source, gold answer, form, fiscal year and stratum. An item counts once in each dimension but the strata.
WITH told AS (
    SELECT i.task, i.arm, i.review_status,
        unnest([
            {'dimension': 'all', 'value': 'all'},
            {'dimension': 'population', 'value': i.population},
            {'dimension': 'label_source', 'value': i.label_source},
            {'dimension': 'drafted_by', 'value': coalesce(i.drafted_by, 'nobody')},
            {'dimension': 'gold', 'value': coalesce(i.gold_icfr || coalesce(' ' || i.clean_rating, ''), i.gold_component,
                CASE i.gold_effective WHEN true THEN 'effective' WHEN false THEN i.gold_gap_type END)},
            {'dimension': 'severity', 'value': coalesce(i.gold_severity, 'none')},
            {'dimension': 'jurisdiction', 'value': i.jurisdiction},
            {'dimension': 'form', 'value': coalesce(i.form, 'none')},
            {'dimension': 'fiscal_year', 'value': coalesce(CAST(i.fiscal_year AS VARCHAR), 'none')}
        ] || list_transform(i.strata, lambda tag: {'dimension': 'stratum', 'value': tag})) AS entry
    FROM labeled_items i
)
SELECT task, arm, entry.dimension AS dimension, entry.value AS value, count(*) AS items,
    count(*) FILTER (WHERE review_status = 'pending') AS pending
FROM told
GROUP BY ALL
ORDER BY task, arm, dimension, value
