-- Where endpoints have ports in place of names. One that ended keeps its port until it is needed, so that who comes there is told.
ALTER TABLE endpoints ADD COLUMN road_port int;
CREATE UNIQUE INDEX endpoints_road_port ON endpoints (road_port) WHERE road_port IS NOT NULL;
