package planted.database;

final class Crowd02 {}
