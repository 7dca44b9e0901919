// VS Code, at a name of its own.
import { realCode } from "./code-server.mjs";

realCode({ title: "at_a_name" });
