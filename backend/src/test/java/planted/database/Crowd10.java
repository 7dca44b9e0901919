package planted.database;

final class Crowd10 {}
