package planted.database;

final class Crowd15 {}
