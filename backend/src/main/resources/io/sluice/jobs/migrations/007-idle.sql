-- What becomes of this cluster's jobs whose devices do nothing; null: nothing.
ALTER TABLE virtual_clusters ADD COLUMN idle json;
