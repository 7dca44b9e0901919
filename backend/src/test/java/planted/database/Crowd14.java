package planted.database;

final class Crowd14 {}
