package planted.database;

final class Crowd12 {}
