// Real apps, each at a name of its own.
import { realApps } from "./notebooks.mjs";

realApps({ title: "at_a_name", classic: true });
