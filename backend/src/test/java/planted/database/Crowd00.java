package planted.database;

final class Crowd00 {}
