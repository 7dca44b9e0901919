package planted.database;

final class Crowd09 {}
