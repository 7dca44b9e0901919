package planted.database;

final class Crowd04 {}
