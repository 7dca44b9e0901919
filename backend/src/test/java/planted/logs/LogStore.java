package planted.logs;

/** Public, and used by routes. */
public final class LogStore {}
