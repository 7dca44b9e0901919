package planted.database;

final class Crowd05 {}
