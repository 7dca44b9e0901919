@NullMarked
package io.sluice.files.space;

import org.jspecify.annotations.NullMarked;
