-- What names groups that are deleted names them no more: whoever makes another one of the name would have what that one had.
CREATE FUNCTION files_without_group() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE files_shares SET readers = array_remove(readers, OLD.name), writers = array_remove(writers, OLD.name)
    WHERE OLD.name = ANY (readers || writers);
    UPDATE files_datasets SET readers = array_remove(readers, OLD.name) WHERE OLD.name = ANY (readers);
    RETURN OLD;
END
$$;

CREATE TRIGGER files_without_group AFTER DELETE ON user_groups FOR EACH ROW EXECUTE FUNCTION files_without_group();

-- those that were deleted before
UPDATE files_shares SET
    readers = ARRAY (SELECT name FROM unnest(readers) WITH ORDINALITY AS named (name, at)
        WHERE EXISTS (SELECT FROM user_groups g WHERE g.name = named.name) ORDER BY at),
    writers = ARRAY (SELECT name FROM unnest(writers) WITH ORDINALITY AS named (name, at)
        WHERE EXISTS (SELECT FROM user_groups g WHERE g.name = named.name) ORDER BY at);
UPDATE files_datasets SET
    readers = ARRAY (SELECT name FROM unnest(readers) WITH ORDINALITY AS named (name, at)
        WHERE EXISTS (SELECT FROM user_groups g WHERE g.name = named.name) ORDER BY at);
