// The pages that every look and every audit goes through. A room adds its own here.
import { addPerson, freshName, opener, signedIn } from "./browser.mjs";

/** Somebody to look at, with something in every list. */
export async function furnish(browser) {
  const { page, context } = await signedIn(browser);
  const name = freshName("li.wei");
  await addPerson(page, { name, password: "a first password", email: "li.wei@lab.example", groups: "lab_a, vision" });
  await context.close();
  return [
    { name: "home", path: "/" },
    { name: "people", path: "/people" },
    { name: "people-none", path: "/people?search=nobody-has-such-a-name" },
    { name: "people-add", path: "/people", open: opener("new-person") },
    { name: "person", path: `/people/${name}` },
    { name: "person-delete", path: `/people/${name}`, open: opener("delete") },
    { name: "profile", path: "/profile" },
    { name: "profile-token", path: "/profile", open: opener("new-token") },
    { name: "profile-key", path: "/profile", open: opener("new-key") },
    { name: "menu", path: "/", open: "button.whoami" },
    { name: "api-reference", path: "/api-reference" },
    { name: "not-found", path: "/there-is-nothing-here", failing: true },
  ];
}

export const OUTSIDE = [
  { name: "sign-in", path: "/sign-in" },
  { name: "api-reference-outside", path: "/api-reference" },
  { name: "set-up-over", path: "/set-up?token=long-gone", failing: true },
];

/** The one-time link of a gateway that nobody has set up yet; the launcher starts one for the journeys. */
export const setUpLink = process.env.SLUICE_SET_UP;
