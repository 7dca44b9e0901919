/** Owns the file centre as people and programs meet it: its routes and its page, who has which tree, and how much of it at once. */
@NullMarked
package io.sluice.files.centre;

import org.jspecify.annotations.NullMarked;
