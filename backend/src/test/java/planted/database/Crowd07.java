package planted.database;

final class Crowd07 {}
