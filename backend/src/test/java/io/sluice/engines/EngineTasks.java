package io.sluice.engines;

import java.nio.file.Path;

/** An engine in a folder of its own, with one user's home; it ends what it started. */
public interface EngineTasks {

    Engine engine();

    /** Where output goes, a file for each task. */
    Path logs();

    Task task(String name, String script);

    Run start(Task task);

    /** Starts a script and waits for its end. */
    Run run(String name, String script);

    Run over(String name);

    Run seen(String name);

    String log(String name);

    void untilLogged(String name, String text);
}
