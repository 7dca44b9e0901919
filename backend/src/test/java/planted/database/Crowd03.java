package planted.database;

final class Crowd03 {}
