package planted.database;

final class Crowd01 {}
