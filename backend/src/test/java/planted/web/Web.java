package planted.web;

import io.prometheus.client.Counter;
import planted.Roof;
import planted.identity.Person;

/** Breaks: rooms use only what the table allows, cycles, the roof, out and err, stack traces, static fields, simpleclient. */
public final class Web {
    @SuppressWarnings("NonFinalStaticField")
    static int calls;

    public Person person(Throwable failure) {
        calls++;
        System.out.println(Roof.name());
        failure.printStackTrace();
        Counter.build("planted", "planted").create().inc();
        return new Person(this);
    }
}
