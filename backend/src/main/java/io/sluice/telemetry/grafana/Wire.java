package io.sluice.telemetry.grafana;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketBase;
import io.vertx.core.http.WebSocketFrame;

/** Two WebSockets that are one: who is slow on one side is waited for on the other, and where one ends, both do. */
final class Wire {
    private static final System.Logger LOG = System.getLogger(Wire.class.getName());
    private static final long TO_JOIN_MILLIS = 10_000;
    private static final short GONE = 1001;

    private final Vertx vertx;
    private final GrafanaMetrics metrics;
    private final WebSocket far;
    private final long timer;
    private boolean over;

    /** @param far not listened to before the browser's side is there; it ends if that does not come */
    Wire(Vertx vertx, GrafanaMetrics metrics, WebSocket far) {
        this.vertx = vertx;
        this.metrics = metrics;
        this.far = far.pause();
        this.timer = vertx.setTimer(TO_JOIN_MILLIS, late -> ended(far.close()));
        metrics.sockets(1);
        far.closeHandler(closed -> finish());
        far.exceptionHandler(broken -> ended(far.close()));
    }

    void join(ServerWebSocket near) {
        vertx.cancelTimer(timer);
        pass(near, far);
        pass(far, near);
        near.closeHandler(closed -> ended(far.close()));
        far.closeHandler(closed -> {
            finish();
            ended(near.close(GONE, "Grafana has gone"));
        });
        if (far.isClosed()) {
            ended(near.close(GONE, "Grafana has gone"));
        }
        far.resume();
    }

    private static void pass(WebSocketBase from, WebSocketBase to) {
        from.frameHandler(frame -> {
            if (!frame.isText() && !frame.isBinary() && !frame.isContinuation()) {
                return; // each side answers pings itself
            }
            ended(to.writeFrame(frame(frame)));
            if (to.writeQueueFull()) {
                from.pause();
                to.drainHandler(drained -> from.resume());
            }
        });
    }

    private static WebSocketFrame frame(WebSocketFrame frame) {
        return frame.isText()
                ? WebSocketFrame.textFrame(frame.textData(), frame.isFinal())
                : frame.isBinary()
                        ? WebSocketFrame.binaryFrame(frame.binaryData(), frame.isFinal())
                        : WebSocketFrame.continuationFrame(frame.binaryData(), frame.isFinal());
    }

    private void finish() {
        if (!over) {
            over = true;
            vertx.cancelTimer(timer);
            metrics.sockets(-1);
        }
    }

    /** Of a side that has gone the close is told of, and needs no second telling. */
    private static void ended(Future<Void> written) {
        written.onFailure(gone -> LOG.log(System.Logger.Level.DEBUG, "event=side-gone cause={0}", gone.getMessage()));
    }
}
