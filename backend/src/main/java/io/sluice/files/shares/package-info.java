/** Owns which folders are shared, and with which groups. It never opens one. */
@NullMarked
package io.sluice.files.shares;

import org.jspecify.annotations.NullMarked;
