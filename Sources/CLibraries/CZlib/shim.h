// The one header that the module `CZlib` is made of.
#pragma once
#include <zlib.h>
