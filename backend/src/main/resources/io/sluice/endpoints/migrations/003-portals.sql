-- Where a browser came from is known of that browser, not of the endpoint: another visitor's is none of its business.
ALTER TABLE endpoints DROP COLUMN portal;
DELETE FROM endpoint_passes;
ALTER TABLE endpoint_passes ADD COLUMN portal text NOT NULL;
