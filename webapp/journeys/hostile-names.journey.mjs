// A hostile app, A: each app has a name of its own.
import { test } from "node:test";
import { attackedFrom } from "./hostile.mjs";

test("a_hostile_app_beside_the_portal_harms_nothing", (t) => attackedFrom(t, "names"));
