package planted.database;

final class Crowd13 {}
