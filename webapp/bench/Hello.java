import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.handler.BodyHandler;

/** The bare Vert.x server that the gateway's start is compared with; argument: the port. */
public final class Hello {
    private Hello() {}

    public static void main(String[] arguments) {
        Vertx vertx = Vertx.vertx();
        Router router = Router.router(vertx);
        router.route("/api/*").handler(BodyHandler.create(false));
        router.get("/healthz").handler(context -> context.json(new JsonObject().put("status", "UP")));
        vertx.createHttpServer().requestHandler(router).listen(Integer.parseInt(arguments[0]), "127.0.0.1");
    }
}
