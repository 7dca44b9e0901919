-- To which virtual clusters somebody may submit: those granted to the person, to a group of theirs, or to everybody, who are the group default.
-- As OpenPAI has it, a group's are in its extension, under acls.virtualClusters.
CREATE FUNCTION granted_clusters(person bigint, own text[]) RETURNS text[] LANGUAGE sql STABLE AS $$
    SELECT coalesce(array_agg(cluster ORDER BY cluster), '{}') FROM (
        SELECT unnest(own) AS cluster
        UNION
        SELECT granted #>> '{}' FROM user_groups g, jsonb_path_query(g.extension, '$.acls.virtualClusters[*]') granted
        WHERE jsonb_typeof(granted) = 'string'
            AND (g.name = 'default' OR g.name IN (SELECT m.group_name FROM memberships m WHERE m.user_id = person))
    ) every
$$;
