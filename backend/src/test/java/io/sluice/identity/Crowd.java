package io.sluice.identity;

import io.sluice.database.Database;
import io.vertx.core.Vertx;
import io.vertx.ext.web.client.WebClient;
import java.time.Duration;
import java.util.List;

/** People for a gateway that runs already, made beneath its API so that they cost no password check. */
public final class Crowd implements AutoCloseable {
    static final String KEY =
            "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHngW8IaG8jN2hoIxDDGgPVyI23yBJT3qkbJEFk2O/Ay li@laptop";

    private final Vertx vertx;
    private final String address;
    private final WebClient client;
    private final PeopleStore people;
    private final Sessions sessions;

    /** @param database of a gateway that shares it, and so keeps its signing key there */
    public Crowd(Vertx vertx, Database database, String address) {
        byte[] key =
                new SignInStore(database).sharedKey(new byte[Signer.KEY_BYTES]).await();
        this.vertx = vertx;
        this.address = address;
        this.client = Browser.client(vertx);
        this.people = new PeopleStore(database);
        this.sessions = new Sessions(vertx, new Signer(vertx, key), new SessionStore(database));
    }

    /** Somebody with everything that a person can have. */
    public record Person(
            long id, String name, String bearer, String session, String key, String token, String program) {}

    /** The program's token may read files, and nothing else. */
    public Person person(String name, boolean admin) {
        long id = people.add(name, "", "unusable", admin).await().id();
        String bearer = bearer(id, name);
        String program = Sessions.newToken();
        people.addKey(id, People.SshKey.parse(KEY, "laptop"), 1).await();
        sessions.addToken(id, "program", program, List.of("files:read"), null).await();
        return new Person(
                id,
                name,
                bearer,
                sessions.open(id).await().getFirst().id(),
                "" + people.keys(id).await().getFirst().id(),
                "" + sessions.tokens(id).await().getFirst().id(),
                program);
    }

    /** Another sign-in of somebody. */
    public String bearer(Person person) {
        return bearer(person.id(), person.name());
    }

    /** A program's token that may do so much. */
    public String token(Person person, String... scopes) {
        String token = Sessions.newToken();
        sessions.addToken(person.id(), "another program", token, List.of(scopes), null)
                .await();
        return token;
    }

    public void disable(Person person) {
        people.change(person.id(), People.Change.NONE.disabled(true)).await();
    }

    public Browser browser() {
        return new Browser(vertx, client, address);
    }

    @Override
    public void close() {
        client.close();
        sessions.close();
    }

    private String bearer(long id, String name) {
        return sessions.login(id, name, "127.0.0.1", "test", Duration.ofHours(1))
                .await();
    }
}
