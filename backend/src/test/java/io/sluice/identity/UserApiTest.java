package io.sluice.identity;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.database.TestDatabase;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.client.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** OpenPAI's words, codes and fields. */
class UserApiTest {
    private static Vertx vertx;
    private static TestDatabase database;
    private static Gateway gateway;
    private static final AtomicInteger NUMBER = new AtomicInteger();
    private Browser admin;
    private String name;

    @BeforeAll
    static void open() {
        vertx = Vertx.vertx();
        database = TestDatabase.fresh(vertx);
        gateway = Gateway.open(vertx, database.database());
    }

    @AfterAll
    static void close() {
        gateway.close();
        database.close();
        vertx.close().await();
    }

    @BeforeEach
    void administrator() {
        admin = as("admin", Gateway.PASSWORD);
        name = "user" + NUMBER.incrementAndGet();
    }

    private static HttpResponse<Buffer> login(String name, String password) {
        var form = Buffer.buffer("expiration=4000&password=" + password.replace(" ", "%20") + "&username=" + name);
        return gateway.browser()
                .send(
                        HttpMethod.POST,
                        "/rest-server/api/v2/authn/basic/login",
                        "application/x-www-form-urlencoded",
                        form)
                .await();
    }

    private static Browser as(String name, String password) {
        return with(login(name, password).bodyAsJsonObject().getString("token"));
    }

    private static Browser with(String token) {
        var browser = gateway.browser();
        browser.headers.set("Authorization", "Bearer " + token);
        return browser;
    }

    private static Browser basic(String name, String password) {
        var browser = gateway.browser();
        String pair = Base64.getEncoder().encodeToString((name + ":" + password).getBytes(StandardCharsets.UTF_8));
        browser.headers.set("Authorization", "Basic " + pair);
        return browser;
    }

    private static void refused(HttpResponse<Buffer> answer, int status, String code, String message) {
        assertThat(answer.bodyAsJsonObject())
                .isEqualTo(new JsonObject().put("code", code).put("message", message));
        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(answer.getHeader("Content-Type")).startsWith("application/json");
    }

    private static void done(HttpResponse<Buffer> answer, int status, String message) {
        assertThat(answer.bodyAsJsonObject()).isEqualTo(new JsonObject().put("message", message));
        assertThat(answer.statusCode()).isEqualTo(status);
    }

    private JsonObject user() {
        return new JsonObject().put("username", name).put("password", "first!");
    }

    private void make() {
        done(admin.json(HttpMethod.POST, "/api/v2/users/", user()), 201, "User is created successfully");
    }

    private static JsonObject patch(JsonObject data) {
        return new JsonObject().put("patch", true).put("data", data);
    }

    @Test
    void it_says_what_it_is() {
        var stranger = gateway.browser();
        for (String path : List.of("/api/v1/", "/api/v2/info", "/rest-server/api/v2/info")) {
            assertThat(stranger.get(path).bodyAsJsonObject().fieldNames())
                    .containsExactlyInAnyOrder("name", "version", "launcherType", "authnMethod");
        }
        assertThat(stranger.get("/api/v2/").bodyAsString()).isEqualTo("PAI RESTful API v2 (beta version)");
        assertThat(stranger.get("/api/v2/authn/info").bodyAsJsonObject())
                .isEqualTo(new JsonObject()
                        .put("authn_type", "basic")
                        .put("loginURI", "/api/v2/authn/basic/login")
                        .put("loginURIMethod", "post"));
        assertThat(stranger.get("/api/v1/authn/oidc/login?redirect_uri=http://localhost/")
                        .bodyAsJsonObject()
                        .getString("code"))
                .isEqualTo("NotImplementedError");
        refused(
                stranger.get("/api/v2/users"),
                401,
                "UnauthorizedUserError",
                "Guest is not allowed to do this operation.");
        refused(with("x").get("/api/v2/users"), 401, "UnauthorizedUserError", "Your token is invalid.");
        refused(stranger.get("/api/v2/nothing"), 404, "NoApiError", "API /api/v2/nothing is not found.");
    }

    @Test
    void signing_in_answers_with_the_fields_that_clients_read() {
        var answer = login("admin", Gateway.PASSWORD);
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.bodyAsJsonObject().copy().put("token", ""))
                .isEqualTo(new JsonObject()
                        .put("user", "admin")
                        .put("token", "")
                        .put("admin", true)
                        .put("hasGitHubPAT", false));
        var claims = new JsonObject(new String(
                Base64.getUrlDecoder()
                        .decode(answer.bodyAsJsonObject().getString("token").split("\\.")[1]),
                StandardCharsets.UTF_8));
        assertThat(claims.getString("username")).isEqualTo("admin");
        assertThat(claims.getBoolean("application")).isFalse();
        assertThat(claims.getLong("exp") - claims.getLong("iat")).isEqualTo(4_000);
        refused(login("nonexistentuser", "password"), 400, "NoUserError", "User nonexistentuser is not found.");
        refused(login("admin", "incorrectpassword"), 400, "IncorrectPasswordError", "Password is incorrect.");
        for (String expiration : List.of("59", "604801", "soon", "-60")) {
            var body = new JsonObject()
                    .put("username", "admin")
                    .put("password", Gateway.PASSWORD)
                    .put("expiration", expiration);
            var answered = gateway.browser().json(HttpMethod.POST, "/api/v2/tokens", body);
            assertThat(answered.statusCode()).isEqualTo(400);
            assertThat(answered.bodyAsJsonObject().getString("code")).isEqualTo("InvalidParametersError");
        }
    }

    @Test
    void login_tokens_are_listed_as_they_were_given_and_revoked() {
        make();
        String token = login(name, "first!").bodyAsJsonObject().getString("token");
        var api = with(token);
        String other = login(name, "first!").bodyAsJsonObject().getString("token");
        assertThat(api.get("/api/v2/tokens").bodyAsJsonObject().getJsonArray("tokens").stream())
                .containsExactlyInAnyOrder(token, other);
        assertThat(api.get("/api/v1/token").bodyAsJsonObject().getJsonArray("tokens"))
                .hasSize(2);
        refused(
                admin.send(HttpMethod.DELETE, "/api/v2/tokens/" + other, null, null)
                        .await(),
                403,
                "ForbiddenUserError",
                "This token is not yours, or it is over already.");
        done(api.send(HttpMethod.DELETE, "/api/v2/tokens/" + other, null, null).await(), 200, "revoke successfully");
        assertThat(with(other).get("/api/v2/tokens").statusCode()).isEqualTo(401);
        done(
                api.send(HttpMethod.DELETE, "/api/v2/authn/basic/logout", null, null)
                        .await(),
                200,
                "Logout successfully");
        refused(api.get("/api/v2/tokens/check"), 401, "UnauthorizedUserError", "Your token is invalid.");
    }

    @Test
    void application_tokens_do_what_applications_may() {
        make();
        var api = as(name, "first!");
        var made = api.json(HttpMethod.POST, "/api/v2/tokens/application", new JsonObject())
                .bodyAsJsonObject();
        assertThat(made.getBoolean("application")).isTrue();
        String token = made.getString("token");
        for (Browser program : List.of(with(token), basic(name, token))) {
            assertThat(program.get("/api/v2/tokens/check").bodyAsJsonObject().fieldNames())
                    .contains("username", "application", "iat", "admin");
            assertThat(program.get("/api/v2/users/" + name).statusCode()).isEqualTo(200);
            for (String path : List.of("/api/v2/tokens", "/profile")) {
                refused(
                        program.get(path),
                        403,
                        "ForbiddenUserError",
                        "Applications are not allowed to do this operation.");
            }
        }
        for (Browser wrong : List.of(
                basic("admin", token), basic(name, "first!"), basic("admin", Gateway.PASSWORD), basic("", token))) {
            refused(wrong.get("/api/v2/tokens/check"), 401, "UnauthorizedUserError", "Your token is invalid.");
        }
        done(api.send(HttpMethod.DELETE, "/api/v2/tokens/" + token, null, null).await(), 200, "revoke successfully");
        assertThat(with(token).get("/api/v2/tokens/check").statusCode()).isEqualTo(401);
    }

    @Test
    void an_application_token_can_be_revoked_by_its_name_in_the_list() {
        make();
        var api = as(name, "first!");
        String token = api.json(HttpMethod.POST, "/api/v2/tokens/application", new JsonObject())
                .bodyAsJsonObject()
                .getString("token");
        var listed = api.get("/api/v2/tokens").bodyAsJsonObject().getJsonArray("tokens");
        done(
                api.send(HttpMethod.DELETE, "/api/v2/tokens/" + listed.getString(listed.size() - 1), null, null)
                        .await(),
                200,
                "revoke successfully");
        assertThat(with(token).get("/api/v2/tokens/check").statusCode()).isEqualTo(401);
    }

    @Test
    void users_are_made_read_changed_and_removed() {
        make();
        refused(
                admin.json(HttpMethod.POST, "/api/v2/users", user()),
                409,
                "ConflictUserError",
                "User name " + name + " already exists.");
        assertThat(admin.get("/api/v2/users/" + name).bodyAsJsonObject())
                .isEqualTo(new JsonObject()
                        .put("username", name)
                        .put("email", "")
                        .put("grouplist", new JsonArray())
                        .put("extension", new JsonObject())
                        .put("admin", false)
                        .put("virtualCluster", new JsonArray().add("default"))
                        .put("storageConfig", new JsonArray()));
        var change = new JsonObject().put("username", name).put("email", "a@b.example");
        done(admin.json(HttpMethod.PUT, "/api/v2/users", patch(change)), 201, "update user " + name + " successfully.");
        var whole = new JsonObject()
                .put("username", name)
                .put("email", "c@d.example")
                .put("virtualCluster", new JsonArray().add("vc1"))
                .put("admin", false)
                .put("password", "second!")
                .put("extension", new JsonObject().put("a", 1));
        done(
                admin.json(
                        HttpMethod.PUT,
                        "/api/v2/users",
                        new JsonObject().put("patch", false).put("data", whole)),
                201,
                "update user " + name + " successfully.");
        var read = admin.get("/api/v1/user/" + name).bodyAsJsonObject();
        assertThat(read.getString("email")).isEqualTo("c@d.example");
        assertThat(read.getJsonArray("virtualCluster")).containsExactly("default", "vc1");
        assertThat(read.getJsonObject("extension")).isEqualTo(new JsonObject().put("a", 1));
        assertThat(login(name, "second!").statusCode()).isEqualTo(200);
        assertThat(admin.json(
                                HttpMethod.PUT,
                                "/api/v2/users",
                                new JsonObject().put("patch", false).put("data", change))
                        .statusCode())
                .isEqualTo(400);
        refused(
                admin.json(HttpMethod.PUT, "/api/v2/users", patch(new JsonObject().put("username", "non_exist_user"))),
                404,
                "NoUserError",
                "User non_exist_user is not found.");
        done(delete("/api/v2/users/" + name), 200, "user is removed successfully");
        refused(delete("/api/v2/users/" + name), 404, "NoUserError", "User " + name + " is not found.");
        refused(admin.get("/api/v2/users/" + name), 400, "NoUserError", "User " + name + " is not found.");
        refused(delete("/api/v2/users/admin"), 403, "RemoveAdminError", "Admin admin is not allowed to remove.");
        make();
    }

    private HttpResponse<Buffer> delete(String path) {
        return admin.send(HttpMethod.DELETE, path, null, null).await();
    }

    @Test
    void what_does_not_fit_is_refused_with_the_field_that_it_is_about() {
        for (JsonObject wrong : List.of(
                user().put("username", "a b"),
                user().put("username", "me"),
                user().put("username", 7),
                user().put("username", "x".repeat(65)),
                user().put("password", "five!"),
                user().put("password", "x".repeat(1025)),
                user().put("email", "no address"),
                user().put("admin", "maybe"),
                user().put("virtualCluster", "default"),
                user().put("virtualCluster", new JsonArray().add("a-b")),
                user().put("extension", new JsonObject().put("a", "\0")),
                user().put("extension", new JsonArray()))) {
            var answer = admin.json(HttpMethod.POST, "/api/v2/users", wrong);
            assertThat(answer.bodyAsJsonObject().getString("code"))
                    .as(wrong.encode())
                    .isEqualTo("InvalidParametersError");
            assertThat(answer.statusCode()).isEqualTo(400);
        }
    }

    @Test
    void somebody_changes_themselves() {
        make();
        var self = as(name, "first!");
        done(
                self.json(
                        HttpMethod.PUT,
                        "/api/v2/users/me",
                        patch(new JsonObject().put("username", name).put("email", "me@b.example"))),
                201,
                "update user " + name + " successfully.");
        var change = new JsonObject()
                .put("username", name)
                .put("newPassword", "second!")
                .put("oldPassword", "wrong!");
        refused(
                self.json(HttpMethod.PUT, "/api/v2/users/me", patch(change)),
                400,
                "IncorrectPasswordError",
                "Password is incorrect.");
        assertThat(self.json(HttpMethod.PUT, "/api/v2/users/me", patch(change.put("oldPassword", "first!")))
                        .statusCode())
                .isEqualTo(201);
        assertThat(login(name, "second!").statusCode()).isEqualTo(200);
        assertThat(self.get("/api/v2/tokens/check").statusCode()).isEqualTo(200);
        assertThat(self.json(HttpMethod.PUT, "/api/v2/users/me", patch(new JsonObject().put("username", "admin")))
                        .statusCode())
                .isEqualTo(403);
        assertThat(self.json(
                                HttpMethod.PUT,
                                "/api/v2/users/me",
                                patch(new JsonObject().put("username", name).put("admin", true)))
                        .statusCode())
                .isEqualTo(201);
        assertThat(self.get("/api/v2/tokens/check").bodyAsJsonObject().getBoolean("admin"))
                .isFalse();
    }

    @Test
    void the_old_single_changes_work() {
        make();
        var self = as(name, "first!");
        String base = "/api/v2/users/" + name;
        done(
                self.json(HttpMethod.PUT, base + "/email", new JsonObject().put("email", "x@y.example")),
                201,
                "Update user email data successfully.");
        done(
                self.json(
                        HttpMethod.PUT,
                        base + "/extension",
                        new JsonObject().put("extension", new JsonObject().put("k", "v"))),
                201,
                "update user extension data successfully.");
        done(
                self.json(
                        HttpMethod.PUT,
                        base + "/password",
                        new JsonObject().put("oldPassword", "first!").put("newPassword", "second!")),
                201,
                "update user password successfully.");
        done(
                admin.json(HttpMethod.PUT, base + "/password", new JsonObject().put("newPassword", "third!")),
                201,
                "update user password successfully.");
        done(
                admin.json(
                        HttpMethod.PUT,
                        base + "/virtualcluster",
                        new JsonObject().put("virtualCluster", new JsonArray().add("vc2"))),
                201,
                "Update user virtualCluster data successfully.");
        done(
                admin.json(HttpMethod.PUT, base + "/admin", new JsonObject().put("admin", true)),
                201,
                "Update user admin permission successfully.");
        done(
                admin.json(HttpMethod.PUT, base + "/admin", new JsonObject().put("admin", "false")),
                201,
                "Update user admin permission successfully.");
        assertThat(self.get("/api/v2/tokens").statusCode()).isEqualTo(401);
        self = as(name, "third!");
        for (String path : List.of("/email", "/password", "/extension", "/admin", "/virtualcluster")) {
            var body = new JsonObject()
                    .put("email", "")
                    .put("newPassword", "stolen!")
                    .put("extension", new JsonObject());
            refused(
                    self.json(HttpMethod.PUT, "/api/v2/users/admin" + path, body),
                    403,
                    "ForbiddenUserError",
                    "Non-admin is not allow to do this operation.");
        }
    }

    @Test
    void the_keys_that_openpai_keeps_in_its_extension_are_the_keys_of_the_profile() {
        make();
        var self = as(name, "first!");
        var key =
                new JsonObject().put("title", "laptop").put("value", Crowd.KEY).put("time", 1);
        var extension =
                new JsonObject().put("sshKeys", new JsonArray().add(key)).put("color", "blue");
        var change = new JsonObject().put("username", name).put("extension", extension);
        assertThat(self.json(HttpMethod.PUT, "/api/v2/users/me", patch(change)).statusCode())
                .isEqualTo(201);
        var read = self.get("/api/v2/users/" + name).bodyAsJsonObject().getJsonObject("extension");
        assertThat(read.getString("color")).isEqualTo("blue");
        assertThat(read.getJsonArray("sshKeys")).hasSize(1);
        assertThat(read.getJsonArray("sshKeys").getJsonObject(0).getString("title"))
                .isEqualTo("laptop");
        assertThat(Crowd.KEY)
                .startsWith(read.getJsonArray("sshKeys").getJsonObject(0).getString("value"));
        assertThat(self.get("/profile").bodyAsString()).contains("laptop", "SHA256:");
        assertThat(admin.get("/api/v2/users").bodyAsString()).contains("laptop");
        var path = "/api/v2/users/" + name + "/extension";
        var none = new JsonObject().put("sshKeys", new JsonArray());
        assertThat(self.json(HttpMethod.PUT, path, new JsonObject().put("extension", none))
                        .statusCode())
                .isEqualTo(201);
        assertThat(self.get("/api/v2/users/" + name).bodyAsJsonObject().getJsonObject("extension"))
                .isEqualTo(new JsonObject().put("color", "blue"));
        var wrong = new JsonObject().put("sshKeys", new JsonArray().add(new JsonObject().put("value", "no key")));
        assertThat(self.json(HttpMethod.PUT, path, new JsonObject().put("extension", wrong))
                        .statusCode())
                .isEqualTo(400);
    }

    @Test
    void users_join_and_leave_groups() {
        make();
        String group = "group" + NUMBER.incrementAndGet();
        var body = new JsonObject().put("groupname", group);
        done(admin.json(HttpMethod.POST, "/api/v2/groups", body), 201, "group is created successfully");
        assertThat(admin.json(HttpMethod.POST, "/api/v2/groups", body).statusCode())
                .isEqualTo(409);
        done(
                admin.json(HttpMethod.PUT, "/api/v2/users/" + name + "/group", body),
                201,
                "User " + name + " is added into group " + group);
        assertThat(admin.get("/api/v2/groups/" + group + "/userlist").bodyAsJsonArray())
                .containsExactly(new JsonObject().put("username", name).put("clusterAdmin", false));
        var member = as(name, "first!");
        assertThat(member.get("/api/v2/groups/" + group).bodyAsJsonObject())
                .isEqualTo(new JsonObject()
                        .put("groupname", group)
                        .put("description", "")
                        .put("externalName", "")
                        .put("extension", new JsonObject()));
        done(
                admin.json(
                        HttpMethod.PUT,
                        "/api/v2/groups",
                        new JsonObject()
                                .put(
                                        "data",
                                        new JsonObject().put("groupname", group).put("description", "ours"))
                                .put("patch", true)),
                201,
                "update group " + group + " successfully.");
        assertThat(member.get("/api/v2/groups")
                        .bodyAsJsonArray()
                        .getJsonObject(0)
                        .getString("description"))
                .isEqualTo("ours");
        done(
                admin.json(HttpMethod.DELETE, "/api/v2/users/" + name + "/group", body),
                201,
                "User " + name + " is removed from group " + group);
        refused(member.get("/api/v2/groups/" + group), 404, "NoGroupError", "Group " + group + " is not found.");
        done(
                admin.json(
                        HttpMethod.PUT,
                        "/api/v2/users/" + name + "/grouplist",
                        new JsonObject()
                                .put("grouplist", new JsonArray().add("default").add(group))),
                201,
                "update user grouplist successfully.");
        done(delete("/api/v2/groups/" + group), 200, "group is removed successfully");
        assertThat(admin.get("/api/v2/users/" + name).bodyAsJsonObject().getJsonArray("grouplist"))
                .containsExactly("default");
        refused(
                admin.json(HttpMethod.PUT, "/api/v2/users/" + name + "/group", body),
                404,
                "NoGroupError",
                "Group " + group + " is not found.");
        refused(
                admin.json(HttpMethod.PUT, "/api/v2/users/nobody/group", body),
                404,
                "NoUserError",
                "User nobody is not found.");
        refused(delete("/api/v2/groups/" + group), 404, "NoGroupError", "Group " + group + " is not found.");
        assertThat(delete("/api/v2/groups/default").statusCode()).isEqualTo(403);
    }

    @Test
    void others_are_as_if_they_did_not_exist() {
        make();
        var self = as(name, "first!");
        assertThat(self.get("/api/v2/users").bodyAsJsonArray()).hasSize(1);
        refused(self.get("/api/v2/users/admin"), 400, "NoUserError", "User admin is not found.");
        refused(self.get("/api/v2/users/nobody"), 400, "NoUserError", "User nobody is not found.");
        assertThat(self.get("/api/v2/users/" + name.toUpperCase(java.util.Locale.ROOT))
                        .statusCode())
                .isEqualTo(200);
        assertThat(admin.get("/api/v2/users").bodyAsJsonArray().size()).isGreaterThan(1);
    }
}
