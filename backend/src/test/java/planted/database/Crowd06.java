package planted.database;

final class Crowd06 {}
