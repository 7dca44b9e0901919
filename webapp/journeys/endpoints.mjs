// The panel of a job's endpoints.

export const panel = (page) => page.locator("#panel-endpoints");

/** What the button of an endpoint opens, as soon as there is one. */
export async function openFrom(context, page, name) {
  await panel(page).scrollIntoViewIfNeeded();
  const link = page.locator(`#endpoint-${name} a.button`);
  await link.waitFor({ timeout: 60_000 });
  const [opened] = await Promise.all([context.waitForEvent("page"), link.click()]);
  await opened.waitForLoadState("domcontentloaded");
  return opened;
}
