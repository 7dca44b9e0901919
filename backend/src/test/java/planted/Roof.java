package planted;

/** What no room may use. */
public final class Roof {
    private Roof() {}

    public static String name() {
        return "roof";
    }
}
