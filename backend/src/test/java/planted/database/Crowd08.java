package planted.database;

final class Crowd08 {}
