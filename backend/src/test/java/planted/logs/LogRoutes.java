package planted.logs;

record LogRoutes(LogStore store) {}
