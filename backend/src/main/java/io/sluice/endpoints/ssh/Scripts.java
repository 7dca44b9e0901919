package io.sluice.endpoints.ssh;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What is run in tasks. Their images have a shell, and perhaps nothing else; words are ASCII, whatever the gateway's own language. */
final class Scripts {
    private static final String LANGUAGE = """
        [ -n "$LC_ALL$LC_CTYPE$LANG" ] && [ "$LC_ALL$LC_CTYPE$LANG" != C ] || export LANG=C.UTF-8
        [ ! -d /pod/bin ] || export PATH="/pod/bin:$PATH"
        """;

    private static final String INTERACTIVE = LANGUAGE + """
        command -v bash >/dev/null 2>&1 || exec sh -i
        export PS1='\\u@\\h:\\w\\$ '
        exec bash -i
        """;

    private static final String PIPED = LANGUAGE + """
        command -v bash >/dev/null 2>&1 && exec bash
        exec sh
        """;

    private static final String COMMAND = LANGUAGE + """
        c=$(printf '%b.' "$1"); c=${c%.}
        command -v bash >/dev/null 2>&1 && exec bash -c "$c"
        exec sh -c "$c"
        """;

    /** Whatever has the mark in its environment belongs to the channel. */
    private static final String SIGNAL = """
        for p in /proc/[0-9]*; do
          tr '\\0' '\\n' < "$p/environ" 2>/dev/null | grep -q "^SLUICE_SSH=$1\\$" && kill "-$2" "${p#/proc/}" 2>/dev/null
        done; true
        """;

    /** Between its own input and output and a socket that only the task itself can reach; by whatever is there that can. */
    private static final String DIAL = """
        a=$(printf '%b.' "$1"); a=${a%.}
        case $a in /*) k=unix;; *) k=tcp;; esac
        p='import os,socket,sys,threading
        k,a=sys.argv[1:3]
        s=socket.socket(socket.AF_UNIX) if k=="unix" else None
        if s: s.connect(a)
        else: s=socket.create_connection(("localhost",int(a)))
        def up():
          while True:
            b=os.read(0,65536)
            if not b: break
            s.sendall(b)
          s.shutdown(socket.SHUT_WR)
        threading.Thread(target=up,daemon=True).start()
        os.write(2,b"+")
        while True:
          b=s.recv(65536)
          if not b: break
          while b: b=b[os.write(1,b):]
        os._exit(0)'
        j='const [k,a]=process.argv.slice(-2);const s=require("net").connect(k=="unix"?{path:a}:{host:"localhost",port:+a});
        s.on("connect",()=>{process.stderr.write("+");process.stdin.pipe(s);s.pipe(process.stdout)});
        s.on("error",e=>{process.stderr.write(e.message);process.exit(1)});s.on("close",()=>process.exit(0))'
        for python in python3 python; do
          command -v $python >/dev/null 2>&1 && exec $python -c "$p" "$k" "$a"
        done
        for node in node "$HOME"/.vscode-server/cli/servers/*/server/node "$HOME"/.vscode-server/bin/*/node; do
          command -v "$node" >/dev/null 2>&1 && exec "$node" -e "$j" "$k" "$a"
        done
        if command -v socat >/dev/null 2>&1; then
          printf + >&2
          if [ $k = unix ]; then exec socat - "UNIX-CONNECT:$a"; else exec socat - "TCP:localhost:$a"; fi
        fi
        if [ $k = tcp ] && command -v bash >/dev/null 2>&1; then
          exec bash -c 'exec 3<>/dev/tcp/localhost/$0 || exit 1; printf + >&2; cat <&0 >&3 & cat <&3; kill $!' "$a"
        fi
        if [ $k = tcp ] && command -v nc >/dev/null 2>&1; then printf + >&2; exec nc localhost "$a"; fi
        echo "This needs python3, node, socat, or (for a port) bash or nc in the image." >&2
        exit 1
        """;

    private Scripts() {}

    static List<String> shell(boolean interactive) {
        return List.of("sh", "-c", interactive ? INTERACTIVE : PIPED);
    }

    static List<String> command(byte[] command) {
        return List.of("sh", "-c", COMMAND, "sluice", ascii(command));
    }

    /** The task's own environment is set on the way in, so what the client sends has to come after it. */
    static List<String> with(Map<String, String> environment, List<String> program) {
        List<String> words = new ArrayList<>(List.of("env"));
        environment.forEach((name, value) -> words.add(name + "=" + value));
        words.addAll(program);
        return words;
    }

    static List<String> signal(String mark, String signal) {
        return List.of("sh", "-c", SIGNAL, "sluice", mark, signal);
    }

    /** @param where the path of a socket, or a port */
    static List<String> dial(byte[] where) {
        return List.of("sh", "-c", DIAL, "sluice", ascii(where));
    }

    /** As {@code printf %b} reads it. */
    static String ascii(byte[] bytes) {
        var text = new StringBuilder(bytes.length + 16);
        for (byte one : bytes) {
            if (one >= ' ' && one < 127 && one != '\\') {
                text.append((char) one);
            } else {
                text.append("\\0%03o".formatted(one & 0xFF));
            }
        }
        return text.toString();
    }
}
