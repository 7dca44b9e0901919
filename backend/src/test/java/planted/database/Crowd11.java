package planted.database;

final class Crowd11 {}
